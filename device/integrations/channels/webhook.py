"""Your own program: each result as JSON, signed if a secret is set."""

from pydantic import SecretStr

from device.integrations.delivery import Transport
from device.integrations.http import HttpCarrier, HttpParams, HttpService
from device.integrations.settings import secret_value
from device.section import section


@section
class WebhookSettings(HttpService):
    """A program that receives each result as JSON over HTTP.

    Attributes:
        url: URL that results are posted to, beginning with http:// or https://; without it, nothing is sent.
        secret: Signs each message, so that the receiver can check that it is from this tray.
    """

    secret: SecretStr | None = None

    def transport(self, params: HttpParams | None = None) -> Transport:
        return HttpCarrier(self.address, self.form, secret_value(self.secret), params)


SETTINGS = WebhookSettings
