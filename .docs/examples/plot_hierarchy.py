"""
A hierarchy, and the level that suffices
========================================

Ages are recoded along a hierarchy: single years, classes of five and of ten years, below and from 40.
"""

import sdc_sql

ages = sdc_sql.interval_hierarchy(range(21, 65), [[*range(25, 65, 5)], [*range(30, 65, 10)], [40]])

# %%
# The picture marks the level that was chosen.

picture = ages.plot(2).retitle("age")

# %%
# The same hierarchy as a table, which SQL, dbt and release files take:

print(*ages.rows[:3], sep="\n")
