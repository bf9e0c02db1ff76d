"""Other places that can be searched: their pages become Documents on demand."""
