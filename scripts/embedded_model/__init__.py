"""The steps that rebuild the embedded model; ../train_embedded.py runs them."""
