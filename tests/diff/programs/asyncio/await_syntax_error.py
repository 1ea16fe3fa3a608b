def f():
    await something
