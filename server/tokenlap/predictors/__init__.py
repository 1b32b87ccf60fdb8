"""What can say what comes next, one file each: table, ngram, script, echo, arithmetic, a grammar
over another.
"""
