import difflib

a, b = "one two three four".split(), "one 2 three five four".split()
print("\n".join(difflib.unified_diff(a, b, lineterm="")))
print("\n".join(difflib.ndiff(a, b)))
print(difflib.get_close_matches("appel", ["ape", "apple", "peach"]), difflib.SequenceMatcher(None, "abcd", "bcde").ratio())
