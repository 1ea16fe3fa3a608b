# needs: 3.11
raise BaseExceptionGroup("with exit inside", [SystemExit(3), KeyboardInterrupt()])
