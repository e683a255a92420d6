import { settings } from "./browser";
import { text, withoutVariables, type Sdk } from "./sdk";

/** SDKs that are given what is on for one user, in an app. */
export const mobile: Record<string, Sdk> = {
  android: {
    label: "Android (Kotlin)",
    token: "frontend",
    install: `implementation("io.getunleash:unleash-android:3.2.3")`,
    into: "build.gradle.kts, under dependencies",
    file: "Shop.kt",
    run: "",
    code: ({ url, feature, appName, token }) => `import android.app.Application
import android.util.Log
import io.getunleash.android.DefaultUnleash
import io.getunleash.android.UnleashConfig
import io.getunleash.android.events.UnleashReadyListener

class Shop : Application() {
    override fun onCreate() {
        super.onCreate()
        val config = UnleashConfig.newBuilder(appName = ${withoutVariables(appName)})
            .proxyUrl(${withoutVariables(`${url}/api/frontend`)})
            .clientKey(${withoutVariables(token)})
            .build()
        val flags = DefaultUnleash(androidContext = this, unleashConfig = config)
        flags.start(
            eventListeners = listOf(
                object : UnleashReadyListener {
                    override fun onReady() {
                        Log.i("flags", if (flags.isEnabled(${withoutVariables(feature)})) "on" else "off")
                    }
                },
            ),
        )
    }
}
`,
  },
  swift: {
    label: "iOS (Swift)",
    token: "frontend",
    install: `.package(url: "https://github.com/Unleash/unleash-ios-sdk.git", from: "2.5.2")`,
    into: "Package.swift, under dependencies",
    file: "Flags.swift",
    run: "",
    code: ({ url, feature, appName, token }) => `import UnleashProxyClientSwift

let flags = UnleashProxyClientSwift.UnleashClient(
    unleashUrl: ${text(`${url}/api/frontend`)},
    clientKey: ${text(token)},
    refreshInterval: 15,
    appName: ${text(appName)},
    context: ["userId": "7"]
)
flags.subscribe(name: "ready") {
    print(flags.isEnabled(name: ${text(feature)}) ? "on" : "off")
}
flags.start()
`,
  },
  flutter: {
    label: "Flutter",
    token: "frontend",
    install: "flutter pub add unleash_proxy_client_flutter",
    file: "lib/main.dart",
    run: "",
    code: ({ url, feature, appName, token }) => `import 'package:flutter/widgets.dart';
import 'package:unleash_proxy_client_flutter/unleash_proxy_client_flutter.dart';

Future<void> main() async {
  WidgetsFlutterBinding.ensureInitialized();
  final flags = UnleashClient(
    url: Uri.parse(${withoutVariables(`${url}/api/frontend`)}),
    clientKey: ${withoutVariables(token)},
    appName: ${withoutVariables(appName)},
  );
  await flags.start();
  debugPrint(flags.isEnabled(${withoutVariables(feature)}) ? 'on' : 'off');
}
`,
  },
  "react-native": {
    label: "React Native",
    token: "frontend",
    install: "npm install @unleash/unleash-react-native-sdk unleash-proxy-client@3.8.2",
    file: "App.tsx",
    run: "",
    code: (asked) => `import { Text } from "react-native";
import { FlagProvider, useFlag } from "@unleash/unleash-react-native-sdk";

const config = {
${settings(asked)}
};

function Asked() {
  return <Text>{useFlag(${text(asked.feature)}) ? "on" : "off"}</Text>;
}

export default function App() {
  return (
    <FlagProvider config={config}>
      <Asked />
    </FlagProvider>
  );
}
`,
  },
};
