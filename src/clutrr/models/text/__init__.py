"""Models that read text with a pretrained encoder: `pairs`. Needs the extra `text`."""
