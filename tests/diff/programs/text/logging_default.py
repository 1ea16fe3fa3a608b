import logging

logging.info("not shown")
logging.warning("shown %s", "with args")
log = logging.getLogger("a.b")
log.error("from a logger")
try:
    1 / 0
except ZeroDivisionError:
    log.exception("with traceback")
print(logging.getLogger().handlers, log.getEffectiveLevel())
