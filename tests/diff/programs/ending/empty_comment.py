# nothing but this comment
