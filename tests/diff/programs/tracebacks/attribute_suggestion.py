import collections

collections.namedtuples
