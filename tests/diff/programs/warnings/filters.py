import warnings

print(warnings.filters)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.warn("caught", RuntimeWarning)
print([(str(x.message), x.category.__name__, x.lineno) for x in w])
warnings.filterwarnings("error", category=UserWarning)
warnings.warn("becomes an error")
