"""The database and blobs that the web app, the publisher and the workers share."""
