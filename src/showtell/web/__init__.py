"""The page and the API: one library, served."""
