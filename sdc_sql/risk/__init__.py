"""The risk measures as typed functions of a described table, a module a file of ``sql/risk``."""
