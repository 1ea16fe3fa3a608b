some_long_variable = 5
some_lnog_variable
