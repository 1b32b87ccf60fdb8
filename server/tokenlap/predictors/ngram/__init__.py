"""The default model: a back-off n-gram whose counts are weighted by how much each document
resembles the prompt.
"""
