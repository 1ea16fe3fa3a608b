# needs: 3.11
raise ExceptionGroup("many", [ValueError(i) for i in range(40)])
