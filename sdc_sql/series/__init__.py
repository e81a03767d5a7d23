"""A series of releases of one table: what is kept between them, and what is refused in one."""
