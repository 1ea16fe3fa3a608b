"""Word statistics of a text, printed in several ways."""
import collections
import string
import textwrap

TEXT = """
    It was the best of times, it was the worst of times, it was the age of wisdom,
    it was the age of foolishness, it was the epoch of belief, it was the epoch of
    incredulity, it was the season of Light, it was the season of Darkness.
"""
words = TEXT.lower().translate(str.maketrans("", "", string.punctuation)).split()
counts = collections.Counter(words)
for word, n in sorted(counts.items(), key=lambda p: (-p[1], p[0]))[:8]:
    print(f"{word:<12}{n:>3} {'*' * n}")
print(textwrap.fill(" ".join(sorted(set(words))), 50))
longest = max(words, key=lambda w: (len(w), w))
by_letter = {k: sorted({w for w in words if w[0] == k}) for k in sorted({w[0] for w in words})}
print(longest, by_letter)
{w: counts[w] for w in sorted(counts) if counts[w] > 3}
