"""Analysis of Japanese and English text: folding, sentences, terms, numbers and dates.

Pure; imports no other package of Shisho.
"""
