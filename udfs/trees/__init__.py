"""Classification and regression trees, grown by histograms."""
