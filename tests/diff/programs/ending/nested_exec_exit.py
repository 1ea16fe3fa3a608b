exec("import sys\nsys.exit(15)")
