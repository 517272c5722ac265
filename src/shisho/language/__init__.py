"""The reading of Japanese and English text: folding, sentences, terms, numbers and dates. Pure; imports
nothing of ours."""
