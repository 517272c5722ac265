"""The messages of Shisho to people: messages that keep their template, and one catalogue per
language."""
