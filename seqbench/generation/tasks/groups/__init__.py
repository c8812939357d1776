"""Word problems of finite groups: constructions, names, tables, and the task."""
