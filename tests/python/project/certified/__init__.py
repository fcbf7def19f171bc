"""The functions that the tests certify."""
