from flask import Flask


def create_app(database="reviews.db"):
    app = Flask(__name__)
    app.config["DATABASE"] = database
    from app.views import views

    app.register_blueprint(views)
    return app
