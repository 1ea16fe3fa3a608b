x = 5
"just a string"
