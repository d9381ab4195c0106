"""Tells tools that people already use of rolls: webhooks, Discord, MQTT. An outbox holds what cannot be sent yet."""
