import io
import logging
import logging.config
import logging.handlers
import sys

logging.config.dictConfig(
    {
        "version": 1,
        "formatters": {"f": {"format": "%(levelname)s:%(name)s:%(lineno)d:%(funcName)s:%(filename)s:%(module)s:%(message)s:%(threadName)s:%(processName)s"}},
        "handlers": {"h": {"class": "logging.StreamHandler", "formatter": "f", "stream": "ext://sys.stdout"}},
        "root": {"handlers": ["h"], "level": "DEBUG"},
    }
)


def f():
    logging.getLogger("x").debug("deep", stack_info=True)


f()
m = logging.handlers.MemoryHandler(10, target=logging.StreamHandler(sys.stdout))
m.emit(logging.makeLogRecord({"msg": "kept until the end"}))
