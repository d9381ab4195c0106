"""What a die that was found shows: a net that reads crops."""
