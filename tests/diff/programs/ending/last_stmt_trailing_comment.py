5 * 5  # with a comment

# and another
