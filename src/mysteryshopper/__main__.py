"""`python -m mysteryshopper`, the command line."""

from mysteryshopper.cli import main

if __name__ == "__main__":
    main()
