// The parts of Mantine that are used, in the order that its own style sheet has them.
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "virtual:theme.css";
import "./page.css";
