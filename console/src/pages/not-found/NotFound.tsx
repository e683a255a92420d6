import { Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTitle } from "../../parts/title";

export function NotFound() {
  useTitle("Not found");
  return (
    <>
      <Title order={1}>There is no such page</Title>
      <Text mt="md">
        <Link to="/features">All flags</Link> are a good place to look.
      </Text>
    </>
  );
}
