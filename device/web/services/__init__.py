"""What routes call: requests become events for the loop, states become answers."""
