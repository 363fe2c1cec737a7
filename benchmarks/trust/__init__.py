"""Projects on which nothing may be reported, and twins with one defect each."""
