"""A release run on a copy, and its outputs put in their places."""
