print("äöü ß € 漢字 \U0001f40d \u202e rtl \u2028 sep \u2029 \x00 nul \x07 bell \ufeff bom \x7f del \x85 nel")
