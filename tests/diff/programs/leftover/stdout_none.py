import sys
print("before")
sys.stdout = None
print("nowhere")
