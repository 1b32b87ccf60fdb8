"""From what a request asks for to the plan of its reply: which predictors, which turns, which ends.

asked.py is what every endpoint says in one form, conversation.py what the turns tell, calls.py
which tools are called, prompted.py and labelled.py the formats that only the prompt asks for,
strict.py what the platform demands of strict schemas, writing.py and forms.py who writes each part,
plan.py the plan.
"""
