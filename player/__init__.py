"""Search, questions, belief, guess, and the game against a server."""

if __name__ == "player":  # by its folder's name, in a checkout
    from quarry.checkout import give_own_name

    give_own_name(__name__)
else:
    import lazy_loader

    __getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
