SENDERS = {}


def register(name):
    def keep(function):
        SENDERS[name] = function
        return function

    return keep
