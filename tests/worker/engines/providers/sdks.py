"""The providers' own SDKs, pointed at a stand-in: what they send, and what they make of it."""

from __future__ import annotations

import boto3
from azure.ai.textanalytics import TextAnalyticsClient
from azure.ai.vision.imageanalysis import ImageAnalysisClient
from azure.core.credentials import AzureKeyCredential
from botocore.config import Config
from google.auth.credentials import AnonymousCredentials
from google.cloud import speech
from google.cloud.speech_v1.services.speech.transports import SpeechRestTransport
from huggingface_hub import InferenceClient
from openai import AzureOpenAI, OpenAI

from worker.engines.providers.openai import VERSION as AZURE_VERSION

KEY_ID, SECRET, KEY = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "k3y-of-azure"
REGION = "eu-central-1"
AZURE = {"azure.language": TextAnalyticsClient, "azure.vision": ImageAnalysisClient}


def aws(service, url):
    return boto3.client(
        service,
        region_name=REGION,
        endpoint_url=url,
        aws_access_key_id=KEY_ID,
        aws_secret_access_key=SECRET,
        config=Config(retries={"total_max_attempts": 1}),
    )


def azure(provider, url):
    return AZURE[provider](url, AzureKeyCredential(KEY), retry_total=0)


def openai(url):
    return OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)


def google_speech(url):
    host = url.partition("://")[2]
    transport = SpeechRestTransport(
        host=host, url_scheme="http", credentials=AnonymousCredentials()
    )
    return speech.SpeechClient(transport=transport)


def azure_openai(url):
    return AzureOpenAI(azure_endpoint=url, api_key=KEY, api_version=AZURE_VERSION, max_retries=0)


def huggingface(url, model):
    return InferenceClient(model=f"{url}/models/{model}", token=KEY)
