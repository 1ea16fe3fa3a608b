import warnings

for i in range(3):
    warnings.warn("same place")
warnings.warn("other place")
print(len(__warningregistry__))
warnings.resetwarnings()
print(warnings.filters)
