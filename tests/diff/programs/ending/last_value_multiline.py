(
    "several "
    "lines"
    +
    " of it"
)
