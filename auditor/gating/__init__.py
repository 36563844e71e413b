"""From observing to nudging and back: frozen policies, certificates, promotion, alarms."""
