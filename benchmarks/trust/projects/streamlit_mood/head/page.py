"""A page that shows the mood of a text."""

import streamlit as st
from google.cloud import language_v1
from google.oauth2 import service_account


@st.cache_resource
def get_client():
    info = st.secrets.get("gcp_service_account")
    if not info:
        st.error("Add the service account to .streamlit/secrets.toml")
        st.stop()
    credentials = service_account.Credentials.from_service_account_info(info)
    return language_v1.LanguageServiceClient(credentials=credentials)


def mood(client, text):
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    sentiment = client.analyze_sentiment(document=document).document_sentiment
    if sentiment.score > 0.25:
        return "happy"
    if sentiment.score < -0.25:
        return "sad"
    return "neutral"


def main():
    st.title("Mood")
    text = st.text_area("Your text")
    if st.button("Go") and text:
        st.write(mood(get_client(), text))


if __name__ == "__main__":
    main()
