import signal
import sys

if sys.argv[0] == "-m":
    # The front door's command: Ctrl-C while modules are loaded ends it as it ends any other
    # program, without a traceback. The command then takes over (explore/__main__.py).
    signal.signal(signal.SIGINT, signal.SIG_DFL)
