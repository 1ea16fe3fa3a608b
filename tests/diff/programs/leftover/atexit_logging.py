import logging
logging.basicConfig(level=logging.INFO, format="%(message)s")
logging.info("logged")
