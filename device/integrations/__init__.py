"""Send rolls to other tools: webhooks, Discord, MQTT. An outbox stores what cannot be sent yet."""
