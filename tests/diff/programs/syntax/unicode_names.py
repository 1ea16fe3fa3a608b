print("\N{GREEK SMALL LETTER ALPHA}", "\u00e9", "\U0001f600", ascii("\N{SNOWMAN}"))
