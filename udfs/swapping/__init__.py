"""Values exchanged between records of near rank."""
