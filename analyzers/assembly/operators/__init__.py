"""Mutation operators that change a block's arguments or replace its layer by a similar one."""
