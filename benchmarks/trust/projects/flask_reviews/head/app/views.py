from flask import Blueprint, abort, current_app, jsonify, request

from app import storage
from app.scoring import score, stars

views = Blueprint("views", __name__)


@views.route("/reviews", methods=["POST"])
def create():
    data = request.get_json(silent=True) or {}
    text = str(data.get("text", "")).strip()
    if not text:
        abort(400, "text is missing")
    value = score(text)
    storage.add(current_app.config["DATABASE"], text, value)
    return jsonify(stars=stars(value)), 201


@views.route("/mean")
def mean():
    return jsonify(stars=stars(storage.mean(current_app.config["DATABASE"])))
